// Counts every `new` of this executable.
#pragma once

long allocations_so_far();
