# SPDX-License-Identifier: Apache-2.0
"""atoms.py FILE: eight atoms that attract each other, on OpenMM's OpenCL."""
import sys
import openmm

system = openmm.System()
force = openmm.NonbondedForce()
for _ in range(8):
    system.addParticle(39.9)
    force.addParticle(0, 0.34, 0.99)
system.addForce(force)
context = openmm.Context(system, openmm.VerletIntegrator(0.001),
                         openmm.Platform.getPlatformByName("OpenCL"),
                         {"Precision": "mixed"})
context.setPositions([(0.4 * (i % 2), 0.4 * (i // 2 % 2), 0.4 * (i // 4))
                      for i in range(8)])
context.getIntegrator().step(10)
state = context.getState(getEnergy=True, getPositions=True)
numbers = [state.getPotentialEnergy()._value]
numbers += [x for p in state.getPositions() for x in p._value]
assert -14 < numbers[0] < -13
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.writelines(f"{number:.6g}\n" for number in numbers)
