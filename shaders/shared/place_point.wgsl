// What shared/sorted.wgsl reads, to be written.
#buffer read_write place_point vec4<i32> SORTED_WINDOW 6 20
