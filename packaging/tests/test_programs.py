"""The comparison of two builds, with small changes to a program that exists."""

import pathlib
import unittest

from programs import compared, require_same, sections
from support import FolderTest, needs, run


class ComparisonTests(FolderTest):
    def setUp(self):
        super().setUp()
        self.program = pathlib.Path("/bin/true").read_bytes()
        if self.program[:6] != b"\x7fELF\2\1":
            self.skipTest("no ELF program of 64 bits")

    def section(self, name):
        return next(section for section in sections(self.program) if section.name == name)

    def changed(self, *places):
        other = bytearray(self.program)
        for place in places:
            other[place] ^= 255
        return bytes(other)

    def test_a_program_does_not_differ_from_itself(self):
        self.assertEqual(compared(self.program, self.program), [])

    @needs("readelf")
    def test_the_sections_are_those_of_readelf(self):
        shown = run("readelf", "-SW", "/bin/true").stdout
        for section in sections(self.program):
            if section.name.startswith("."):
                self.assertRegex(shown, rf" {section.name} +\S+ +\w+ 0*{section.offset:x} 0*{len(section.data):x} ")

    def test_each_differing_section_is_named_with_its_first_places(self):
        code, data = self.section(".text"), self.section(".rodata")
        lines = compared(self.program, self.changed(code.offset + 3, code.offset + 4, data.offset + 0x11))
        self.assertEqual(len(lines), 4, lines)
        self.assertIn(f".text: 2 bytes differ in 1 places; {len(code.data)} and {len(code.data)} bytes", lines)
        self.assertTrue(any(line.startswith(f"  at 0x3 ({code.offset + 3:#x} of the file): ") for line in lines))
        self.assertTrue(any(line.startswith(f"  at 0x11 ({data.offset + 0x11:#x} of the file): ") for line in lines))
        [here] = [line for line in lines if line.startswith("  at 0x3 ")]
        self.assertIn(f"{code.data[:3].hex()}[{code.data[3:11].hex()}] and", here)

    def test_only_a_few_places_of_a_section_are_shown(self):
        code = self.section(".text")
        lines = compared(self.program, self.changed(*range(code.offset, code.offset + 100, 2)))
        self.assertIn("50 bytes differ in 50 places", lines[0])
        self.assertEqual(len(lines), 4)

    def test_the_identity_of_a_build_is_shown(self):
        note = self.section(".note.gnu.build-id")
        [line, _] = compared(self.program, self.changed(note.offset + 16))
        identity = note.data[16:].hex()
        self.assertIn(f"({identity})", line)
        self.assertIn(f"({255 - note.data[16]:02x}{identity[2:]})", line)

    def test_what_is_in_no_section_is_compared_too(self):
        lines = compared(self.program, self.program + b"tail")
        self.assertEqual(
            lines, [f"4 bytes outside all sections differ, the first one at {len(self.program):#x} of the file"]
        )
        # The entry point.
        self.assertTrue(compared(self.program, self.changed(24))[0].startswith("the ELF header: 1 bytes"))

    def test_a_section_that_only_one_has_is_named(self):
        other = bytearray(self.program)
        names = self.section(".shstrtab")
        place = names.offset + names.data.index(b".rodata\0")
        other[place + 1 : place + 3] = b"zz"
        lines = compared(self.program, bytes(other))
        self.assertEqual(sum("only in the first" in line for line in lines), 1, lines)
        self.assertEqual(sum("only in the second" in line for line in lines), 1, lines)

    def test_what_is_no_program_is_compared_as_a_whole(self):
        self.assertEqual(
            compared(b"abcd", b"abxd"),
            [
                "the file: 1 bytes differ in 1 places; 4 and 4 bytes",
                "  at 0x2 (0x2 of the file): 6162[6364] and 6162[7864]",
            ],
        )

    def test_programs_that_differ_are_kept_and_the_failure_says_where(self):
        first, second, kept = (self.folder / name for name in ("one", "other", "kept"))
        first.write_bytes(self.program)
        second.write_bytes(self.program)
        require_same(first, second, kept)
        self.assertFalse(kept.exists())
        second.write_bytes(self.changed(self.section(".text").offset))
        with self.assertRaisesRegex(AssertionError, rf"both are in {kept}\n\.text: 1 bytes differ") as failure:
            require_same(first, second, kept)
        self.assertIn("  at 0x0 (", str(failure.exception))
        self.assertEqual((kept / "first").read_bytes(), first.read_bytes())
        self.assertEqual((kept / "second").read_bytes(), second.read_bytes())


if __name__ == "__main__":
    unittest.main()
