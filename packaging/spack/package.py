# For Spack 1.0 or later.
import os

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Neargrid(CMakePackage):
    """Exact, canonical neighbor search for particle codes: pairs within a cutoff, neighbor lists, k nearest neighbors and
    friends-of-friends groups, behind a C ABI and Fortran modules."""

    # The place of the release and its checksum (SHA256SUMS) are set when there is one: url = ..., version(..., sha256=...).
    # Until then Spack takes the release from the folder in which it is started, without a checksum (spack install --no-checksum).
    url = f"file://{os.getcwd()}/neargrid-0.1.0.tar.gz"

    license("MIT OR Apache-2.0")

    version("0.1.0")

    variant("gpu", default=True, description="Build the GPU backend (Vulkan, found when a program runs)")
    variant("fortran", default=True, description="Compile the Fortran modules")
    variant("mpi", default=False, description="Build libneargrid_mpi, across MPI ranks")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.18:", type="build")
    depends_on("rust@1.89:", type="build")
    depends_on("pkgconfig", type="test")
    depends_on("vulkan-loader", type="run", when="+gpu")
    depends_on("mpi", when="+mpi")

    def cmake_args(self):
        args = [
            self.define_from_variant("NEARGRID_GPU", "gpu"),
            self.define_from_variant("NEARGRID_FORTRAN", "fortran"),
            self.define_from_variant("NEARGRID_MPI", "mpi"),
            self.define("BUILD_TESTING", self.run_tests),
        ]
        if self.spec.satisfies("+mpi"):
            args.append(self.define("NEARGRID_MPICC", self.spec["mpi"].mpicc))
        return args

    def setup_build_environment(self, env):
        env.set("CARGO_HOME", join_path(self.stage.path, "cargo-home"))

    def _compile_and_run(self, compiler, source):
        """A program that compares the library's pairs with its own double loop."""
        with working_dir(self.test_suite.current_test_cache_dir):
            flags = [f"-I{self.prefix.include}", f"-L{self.prefix.lib}", f"-Wl,-rpath,{self.prefix.lib}"]
            flags += [f"-I{path}" for path in find(self.prefix.include.neargrid, "*-*", recursive=False)]
            libraries = ["-lneargrid_fortran"] if source.endswith(".f90") else []
            which(compiler, required=True)(source, "-o", "program", *flags, *libraries, "-lneargrid")
            output = Executable("./program")(output=str.split)
            check_outputs(["pairs agree"], output)

    @run_after("install")
    def keep_test_sources(self):
        cache_extra_test_sources(self, "tests/interfaces/consumer/programs")

    def test_c(self):
        """compile and run a C program"""
        self._compile_and_run(os.environ["CC"], "tests/interfaces/consumer/programs/c/handle.c")

    def test_fortran(self):
        """compile and run a Fortran program"""
        if self.spec.satisfies("~fortran"):
            raise SkipTest("the Fortran modules are not installed")
        self._compile_and_run(os.environ["FC"], "tests/interfaces/consumer/programs/fortran/handle.f90")
