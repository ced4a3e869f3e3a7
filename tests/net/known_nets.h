// Nets with published numbers of reachable markings.
//
//   Kanban        Ciardo and Tilgner, On the use of Kronecker operators for the solution of
//                 generalized stochastic Petri nets (1996)
//   FMS           Ciardo and Trivedi, A decomposition approach for stochastic reward net models
//                 (Performance Evaluation 18, 1993): flexible manufacturing system
//   MAPK          Heiner, Gilbert and Donaldson, Petri nets for systems and synthetic biology
//   (2008) Philosophers  Dijkstra's table, as in the Model Checking Contest: both forks by turns
//
// The counts are those of the Model Checking Contest (mcc.lip6.fr).
#pragma once

#include "molejo/net/net.h"

namespace molejo::test {

Net kanban(int n);
Net flexible_manufacturing(int n);
Net mapk(int n);
Net philosophers(int n);

}  // namespace molejo::test
