extern "C" int plumb_json_placeholder(void) { return 0; }
