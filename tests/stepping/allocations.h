// Counts every allocation of this executable.
#pragma once

long allocations_so_far();
