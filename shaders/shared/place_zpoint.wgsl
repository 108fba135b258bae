// Writes the data that shared/zpoints.wgsl reads.
#buffer read_write place_zpoint vec4<u32> ZPOINT_WINDOW 27 46 47 48
