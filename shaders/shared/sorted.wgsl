// The points in cell order: low words of their fixed-point coordinates, and the caller's number.
#buffer read point vec4<i32> SORTED_WINDOW 6 20
