// The points along the curve (shared/zpoint.wgsl), and after them the second words.
#buffer read zpoint vec4<u32> ZPOINT_WINDOW 27 46 47 48
