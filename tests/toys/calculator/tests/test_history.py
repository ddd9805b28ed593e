import unittest

from calculator import History


class TestHistory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.expressions = {"1+1": 2, "2*3": 6, "1+2": 3}

    def setUp(self):
        self.history = History(limit=3)
        for expression, result in self.expressions.items():
            self.history.record(expression, result)

    def test_record(self):
        self.assertEqual(self.history.entries[0], ("1+1", 2))

    def test_record_forgets_the_oldest(self):
        self.history.record("9", 9)
        self.assertEqual([e for e, _ in self.history.entries], ["2*3", "1+2", "9"])

    def test_undo(self):
        self.assertEqual(self.history.undo(), ("1+2", 3))
        self.assertEqual(len(self.history.entries), 2)

    def test_redo(self):
        self.history.undo()
        self.assertEqual(self.history.redo(), ("1+2", 3))

    def test_redo_of_nothing(self):
        with self.assertRaisesRegex(IndexError, "nothing to redo"):
            self.history.redo()

    def test_search(self):
        self.assertEqual(self.history.search("1+"), [("1+2", 3), ("1+1", 2)])

    def test_search_in_vain(self):
        self.assertEqual(self.history.search("7"), [])

    def test_total(self):
        self.assertEqual(self.history.total(), 11)
