# SPDX-License-Identifier: Apache-2.0
"""integrate.py FILE: an image integrated with pyFAI's OpenCL, checked."""
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
assert (numpy.diff(curve[:48]) > 0).all()
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.writelines(f"{a:.4f} {v:.4g}\n" for a, v in zip(angle, curve))
