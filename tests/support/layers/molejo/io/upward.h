// Wrong on purpose: scripts/check_layers must find the next line.
#include "molejo/live/server.h"
