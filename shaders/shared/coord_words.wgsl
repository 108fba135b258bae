// The caller's coordinates as uploaded: point after point, each coordinate in one word (real32) or two (real64).
#buffer read coord_word u32 COORD_WINDOW 2 18 19
