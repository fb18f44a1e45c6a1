# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Weft(CMakePackage):
    """Fourier transforms of arrays that are spread over many MPI processes: any number of axes, any distribution in, any
    distribution out."""

    license("BSD-3-Clause")

    git = ancestor(__file__, 5)  # the checkout that this file is in

    version("develop", branch="main")

    variant("fftw", default=True, description="FFTW as one more local engine; under the GPL")
    variant("fortran", default=True, description="The Fortran module")
    variant("tools", default=True, description="The program weft")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("mpi@3:")
    depends_on("highway")
    depends_on("hwloc")
    depends_on("fftw@3: precision=float,double", when="+fftw")
    depends_on("cli11", when="+tools")
    depends_on("fmt", when="+tools")
    depends_on("nlohmann-json", when="+tools")

    conflicts("%gcc@:11", msg="needs C++20")

    def cmake_args(self):
        spec = self.spec
        arguments = [
            self.define_from_variant("WEFT_FFTW", "fftw"),
            self.define_from_variant("WEFT_FORTRAN", "fortran"),
            self.define_from_variant("WEFT_TOOLS", "tools"),
            self.define("WEFT_HDF5", False),
            self.define("WEFT_PYTHON", False),
            self.define("WEFT_CUDA", False),
            self.define("WEFT_TESTS", False),
            self.define("WEFT_BENCH", False),
            self.define("WEFT_WERROR", False),
            self.define("MPI_C_COMPILER", spec["mpi"].mpicc),
        ]
        if "+fortran" in spec:
            arguments.append(self.define("MPI_Fortran_COMPILER", spec["mpi"].mpifc))
        return arguments
