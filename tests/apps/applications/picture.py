# SPDX-License-Identifier: Apache-2.0
"""picture.py FILE: a picture through what cv2.UMat has in OpenCL."""
import sys
import cv2
import numpy

cv2.ocl.setUseOpenCL(True)
assert cv2.ocl.useOpenCL()
picture = numpy.fromfunction(lambda y, x, c: (x * 7 + y * 13 + c * 31) % 256,
                             (128, 160, 3)).astype(numpy.uint8)
grey = cv2.cvtColor(cv2.UMat(picture), cv2.COLOR_BGR2GRAY)
blurred = cv2.GaussianBlur(grey, (5, 5), 1.2)
small = cv2.resize(blurred, (80, 64))
_, result = cv2.threshold(small, 100, 255, cv2.THRESH_TOZERO)
assert cv2.imwrite(sys.argv[1], result.get())
