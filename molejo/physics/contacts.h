// Where the bodies of a model touch, from step to step.
//
// Any number of bodies in one place would be as many squared contacts: their memory is bounded.
//
// Broad phase, narrow phase and a memory of the pairs: the impulses of the last step are where the
// solver starts in the next. Contacts are found before bodies meet: two that may come together
// within the step are told with their gap. Bodies that would pass through each other within a step
// are stopped at the time of impact along their present motion (conservative advancement, Mirtich
// 1996).
#pragma once

#include <deque>
#include <memory>

#include "molejo/collision/broad_phase.h"
#include "molejo/model/kinematics.h"

namespace molejo {

struct Contact {
  int a = 0, b = 0;            // colliders, a < b
  int body_a = 0, body_b = 0;  // theirs
  std::uint32_t feature = 0;   // stays while the same features of the two meet
  Vec3 p_a, p_b;               // of each body; the same place unless they are still far apart
  Vec3 normal;                 // unit, from b to a
  double gap = 0;              // negative: penetration
  double friction = 0, restitution = 0;
  bool fast = false;    // found along the motion
  double approach = 0;  // normal velocity when it was found; negative: they come together
  Vec3 impulse;         // on a, N s: in, where to start; out, what acted

  Vec3 point() const { return (p_a + p_b) * 0.5; }
};

// Memory of one world.
struct Contacts {
  explicit Contacts(const Model& model);
  // Bytes of memory for all that touches; more than that throws OverBudget.
  void set_budget(std::size_t bytes);
  Contacts(const Contacts&) = delete;
  Contacts& operator=(const Contacts&) = delete;

  std::vector<Contact> list;  // ascending (a, b, feature)

  // Points of two polyhedra that hardly move against each other, fixed in both: the gap is taken
  // anew, the points are not searched for again.
  struct Kept {
    Pose X_AB;  // when they were found
    int count = 0;
    struct Point {
      Vec3 p_A, p_B, n_B;
      std::uint32_t feature;
    };
    Point points[4];
  };
  // Two colliders that are near.
  struct Pair {
    int a, b;
    bool may_touch = false;
    bool rigid = false;  // or left to the penalty forces
    Surface surface;
    ManifoldCache cache;
    int kept = -1;  // in `kept`; polyhedra have a place there
  };
  std::vector<Pair> pairs, last_pairs;
  std::vector<Contact> last_list;
  std::vector<ContactPoint> points;
  bool keeps_points = true;  // false: they are searched for every time
  std::vector<Kept> kept;
  std::vector<int> unused;  // places in `kept`
  std::deque<ConvexMesh> meshes;
  std::vector<TouchShape> shapes;  // of each collider
  std::vector<double> size;        // of each collider: radius about its own origin, m
  std::vector<double> reach;       // the same about its body's joint point
  std::vector<Pose> X_WS;
  BroadPhase broad_phase;
  std::vector<char> moves;  // does each body, and is it awake? two that do not are left out
  int threads = 1;
  std::size_t budget = 0, most_contacts = 0;
  // contacts of some pairs in a row, found by one thread
  struct Chunk {
    std::vector<Contact> list;
    std::vector<ContactPoint> points;
    std::vector<std::pair<int, Kept>> overwritten;  // places in `kept`, and what was there
  };
  std::vector<Chunk> chunks;
  std::vector<int> near;  // pairs to look at
  // What was there before a step, as far as the step has replaced it.
  struct Before {
    bool is_kept = false;     // begin_step was called
    bool has_pairs = false;   // they were searched for since
    std::vector<Pair> pairs;  // those before the first search
    std::vector<Contact> list;
    std::vector<std::pair<int, Kept>> overwritten;  // the oldest first
  };
  Before before;
  // when set, all other pairs of colliders are left out; ascending
  const std::vector<std::pair<int, int>>* only = nullptr;
};

// Two colliders that are near for the first time.
Contacts::Pair new_pair(const Model& model, int a, int b, Contacts& contacts);

// Poses of all colliders at k, and contacts.pairs of all that are closer than the sum of their
// margins (m).
void find_pairs(const Model& model, const Kinematics<double>& k, const std::vector<double>& margin,
                Contacts& contacts);

// Does it rest, and is not computed?
bool is_asleep(const Model& model, const Contacts& contacts, int body);

// Throws OverBudget when so many contacts are more than there is memory for.
void check_count(std::size_t count, const Contacts& contacts);

// Appends the contacts of one pair with a gap below the margin, at the poses of the last search.
void add_contacts(const Model& model, double margin, Contacts::Pair& pair, Contacts& contacts,
                  Contacts::Chunk& found);

// As if nothing had been found before: what is found next depends on poses and velocities alone.
void forget(Contacts& contacts);

// From here on what is overwritten is kept, until the next begin_step: take_back puts it back.
void begin_step(Contacts& contacts);
void take_back(Contacts& contacts);

// Fills contacts.list with all that may touch within h seconds at the poses and velocities of k.
void find_contacts(const Model& model, const Kinematics<double>& k, double h, Contacts& contacts);

}  // namespace molejo
