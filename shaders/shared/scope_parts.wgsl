// The scope of a row that lists nothing.
const NO_SCOPE = 0xffu;
