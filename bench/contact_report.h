// What was measured of contact, as tables and as JSON; a part of the report.
#pragma once

#include <string>
#include <vector>

#include "bench/contact.h"
#include "bench/verify.h"

namespace bench {

struct ContactResults {
  std::vector<Entrant> entrants;  // Molejo first
  std::vector<ContactVerification> verifications;
  std::vector<ContactRace> races;
  std::vector<Probes> probes;  // one per entrant
};

std::string contact_text(const ContactResults& results);
std::string contact_json(const ContactResults& results);

}  // namespace bench
