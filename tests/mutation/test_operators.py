#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What operators.py changes in a text, and what it leaves alone."""
import sys
import unittest

sys.dont_write_bytecode = True
import operators  # pylint: disable=wrong-import-position


def changed(body):
    """{(operator, function with the change)} of a function's body."""
    text = "int f(int a, int b)\n{\n" + body + "\n}\n"
    return {(change.operator, operators.apply(text, change)
             .removeprefix("int f(int a, int b)\n{\n").removesuffix("\n}\n"))
            for change in operators.changes_of(text)}


class Operators(unittest.TestCase):
    """One test an operator."""

    def test_compares_otherwise(self):
        self.assertEqual(changed("int c = a < b;"), {
            ("< to <=", "int c = a <= b;"), ("< to >=", "int c = a >= b;")})

    def test_negates_conditions(self):
        self.assertIn(("condition negated", "if (!(a && f(b)))\n    g();"),
                      changed("if (a && f(b))\n    g();"))

    def test_tells_binary_operators_from_unary_ones(self):
        found = changed("a = -b;")
        self.assertEqual({operator for operator, _ in found},
                         {"statement deleted"})
        self.assertIn(("- to +", "a = b + a;"), changed("a = b - a;"))
        self.assertIn(("& to |", "a = b | a;"), changed("a = b & a;"))
        self.assertNotIn("& to |", {one for one, _ in changed("g(&a);")})

    def test_changes_constants_by_one(self):
        self.assertEqual({body for operator, body in changed("a = 16u;")
                          if operator == "constant off by one"},
                         {"a = 17u;", "a = 15u;"})

    def test_changes_what_is_returned(self):
        self.assertEqual(changed("return g(a);"),
                         {("zero returned", "return 0;")})
        self.assertEqual(changed("return dnnl_success;"),
                         {("other status", "return dnnl_runtime_error;")})
        self.assertEqual(changed("return false;"),
                         {("other truth", "return true;")})

    def test_deletes_statements_but_no_declarations(self):
        self.assertIn(("statement deleted", "    ;"), changed("    g(a);"))
        self.assertIn(("statement deleted", "if (a) ;"),
                      changed("if (a) b->c = a;"))
        self.assertEqual(changed("int c = g(a);"), set())
        self.assertEqual(changed("struct s *c = g(a);"), set())

    def test_deletes_jumps(self):
        self.assertIn(("jump deleted", "if (a) ;"), changed("if (a) goto out;"))

    def test_loses_bits_in_casts(self):
        found = changed("b = (size_t)a;")
        self.assertIn(("cast narrowed", "b = (uint16_t)a;"), found)
        self.assertIn(("cast dropped", "b = a;"), found)
        self.assertNotIn("cast dropped",
                         {one for one, _ in changed("b = sizeof(size_t);")})

    def test_leaves_text_comments_directives_and_asserts(self):
        for body in ('/* a < b; */', '// a < b', 'char c[] = "a < b";',
                     "#if 1 + 1 < 2 \\\n    + 3\n#endif", "assert(a < b);",
                     "char c = '<';"):
            self.assertEqual(changed(body), set(), body)

    def test_leaves_what_is_outside_of_functions(self):
        self.assertEqual(operators.changes_of(
            "static const int a = 3;\nint f(int c[4]);\n"), [])

    def test_keeps_the_number_of_lines(self):
        text = ("int f(int a)\n{\n    g(a,\n        3);\n"
                "    if (a < 3 &&\n        a > 1)\n        return g(a,\n"
                "            a);\n    return h(\n        a);\n}\n")
        found = operators.changes_of(text)
        self.assertGreater(len(found), 10)
        for change in found:
            after = operators.apply(text, change)
            self.assertNotEqual(after, text)
            self.assertEqual(after.count("\n"), text.count("\n"), change)
            before = text.split("\n")
            self.assertEqual(after.split("\n")[:change.line - 1],
                             before[:change.line - 1])


if __name__ == "__main__":
    unittest.main()
