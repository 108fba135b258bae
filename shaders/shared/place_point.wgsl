// Writes the data that shared/sorted.wgsl reads.
#buffer read_write place_point vec4<i32> SORTED_WINDOW 6 20
