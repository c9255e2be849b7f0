# SPDX-License-Identifier: Apache-2.0
"""integrate.py FILE: an image integrated with pyFAI's OpenCL, checked.

pyFAI adds in another order each time, so the file has the angles alone: the
curve is compared with the image, which grows by 10 a pixel from its centre."""
import sys
import numpy
from pyFAI.azimuthalIntegrator import AzimuthalIntegrator

integrator = AzimuthalIntegrator(dist=0.1, poni1=0.0064, poni2=0.0064,
                                 pixel1=1e-4, pixel2=1e-4, wavelength=1e-10)
y, x = numpy.mgrid[:128, :128]
image = (1000 + 10 * numpy.hypot(x - 64, y - 64)).astype(numpy.float32)
angle, curve = integrator.integrate1d(
    image, 64, unit="2th_deg", method=("bbox", "csr", "opencl"),
    correctSolidAngle=False)
expected = 1000 + 10 * numpy.tan(numpy.radians(angle)) * 0.1 / 1e-4
assert len(curve) == 64
assert numpy.allclose(curve[:48], expected[:48], rtol=0.01)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.writelines(f"{a:.4f}\n" for a in angle)
