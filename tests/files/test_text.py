"""Tables as text: separators, encodings and the marks of numbers."""

import numpy as np
import pytest

from commands import refused, run
from reldim.files.options import TableOptions
from reldim.files.reading import read_data


class TestWrittenNumbers:
    @pytest.mark.parametrize(
        "text, expected",
        [
            ("a;b;y\n17.042;1,5;u\n950;2,5;v\n", [17042, 950]),
            ("a;b;y\n17.042;1,5;u\n18.500;2,5;v\n", [17042, 18500]),
            ("a;b;y\n1.250,75;x;u\n950;z;v\n", [1250.75, 950]),
            ("a;b;y\n17.042;1.55;u\n950;2.5;v\n", [17.042, 950]),
            ("a;b;y\n17.042;x;u\n18.500;z;v\n", [17.042, 18.5]),
            ("a;b;y\n17.042;x;u\n1950;z;v\n", [17.042, 1950]),
            ("a;b;y\n0.042;x;u\n950;z;v\n", [0.042, 950]),
            ("a;b;y\n1,5;x;u\n950;z;v\n", [1.5, 950]),
        ],
    )
    def test_marks_are_told_by_all_columns(self, write, text, expected):
        assert read_data(write(text, "data.csv"), "y").X["a"].tolist() == expected

    def test_it_is_said(self, write):
        data = read_data(write("a;b;y\n17.042;1,5;u\n950;2,5;v\n", "data.csv"), "y")
        assert data.steps[0].endswith("with decimal commas and points between thousands.")

    @pytest.mark.parametrize("mark", ".,")
    def test_what_cannot_be_told_is_asked(self, write, mark):
        path = write(f"a;b;y\n17{mark}042;x;u\n950;z;v\n", "data.csv")
        line = refused("diagnose", path, "--target", "y")
        assert f"'17{mark}042' beside '950', which may be 17042 or 17.042" in line
        assert f"--thousands {mark} or --decimal {mark}" in line
        for option, expected in (("thousands", 17042), ("decimal", 17.042)):
            data = read_data(path, "y", TableOptions(**{option: mark}))
            assert data.X["a"].tolist() == [expected, 950]

    @pytest.mark.parametrize("mark", ["'", " ", "\u202f"])
    def test_other_marks(self, write, mark):
        path = write(f"a;day;y\n17{mark}042;01.02.2024;u\n950;02.02.2024;v\n", "data.csv")
        data = read_data(path, "y", TableOptions(thousands=mark))
        assert data.X["a"].tolist() == [17042, 950]
        assert data.X["day"].tolist() == ["01.02.2024", "02.02.2024"]

    def test_dates_are_no_numbers(self, write):
        path = write("a;day;y\n17.042;01.02.2024;u\n950;02.02.2024;v\n", "data.csv")
        data = read_data(path, "y", TableOptions(thousands="."))
        assert data.X["day"].tolist() == ["01.02.2024", "02.02.2024"]

    @pytest.mark.parametrize(
        "price", ["$24,000;$950;$1,500", "24.000 €;950 €;1.500 €", "24,000.00;950.00;1,500.00"]
    )
    def test_a_target_with_signs_is_a_number(self, write, price):
        rows = "".join(f"{i};{text}\n" for i, text in enumerate(price.split(";")))
        data = read_data(write(f"a;price\n{rows}", "data.csv"), "price")
        assert data.y.tolist() == [24000, 950, 1500]
        assert data.steps[1].startswith("Read the target price as numbers (")


class TestTables:
    @pytest.mark.parametrize("separator", [",", ";", "\t"])
    def test_separators(self, write, separator):
        path = write("a,b,y\n1,2.5,u\n3,4.5,v\n".replace(",", separator))
        data = read_data(path, "y")
        assert data.kind == "table"
        assert data.X.to_dict("list") == {"a": [1, 3], "b": [2.5, 4.5]}
        assert data.y.tolist() == ["u", "v"]
        assert data.target == "y"

    def test_tsv(self, write):
        data = read_data(write("a b\ty\n1\t2\n3\t4\n", "data.TSV"), "y")
        assert data.X["a b"].tolist() == [1, 3]

    def test_decimal_commas(self, write):
        data = read_data(write("a;b;y\n1,5;x;2,5\n-2,25;z;1e3\n"), "b")
        assert data.X["a"].tolist() == [1.5, -2.25]
        assert "separated by ';', with decimal commas" in data.steps[0]

    def test_commas_inside_quotes(self, write):
        data = read_data(write('t,y\n"one, two",1\n"three; four",2\n'), "y")
        assert data.X["t"].tolist() == ["one, two", "three; four"]

    def test_byte_order_mark(self, write):
        assert read_data(write("\ufeffa,y\n1,2\n2,3\n"), "y").X.columns.tolist() == ["a"]

    def test_utf16(self, write):
        assert read_data(write("é,y\n1,2\n2,3\n".encode("utf-16")), "é").y.tolist() == [1, 2]

    def test_latin1_is_said(self, write):
        data = read_data(write("straße,y\n1,2\n2,3\n".encode("latin-1")), "y")
        assert data.X.columns.tolist() == ["straße"]
        assert "Latin-1" in data.steps[1]

    def test_files_of_windows_have_their_own_characters(self, write):
        """The euro sign is a control character in Latin-1, and would be part of no number."""
        text = "größe;miete\n1;1.950,50 €\n2;950,25 €\n3;820,75 €\n"
        data = read_data(write(text.encode("cp1252")), "miete")
        assert data.y.tolist() == [1950.5, 950.25, 820.75]
        assert data.X.columns.tolist() == ["größe"]
        assert "Read as Windows-1252" in data.steps[1]

    def test_bytes_that_windows_does_not_know_are_latin1(self, write):
        data = read_data(write(b"a\x81\x80,y\n1,2\n2,3\n"), "y")
        assert "Read as Latin-1" in data.steps[1]

    def test_first_step_counts(self, write):
        assert read_data(write("a,y\n1,2\n2,3\n"), "y").steps == (
            "Read 2 rows and 2 columns from data.csv.",
        )

    def test_question_marks_are_gaps(self, write):
        data = read_data(write("a,b,y\n1,2,u\n?,3,v\n"), "y")
        assert data.X["a"].dtype == np.float64
        assert data.X["a"].isna().tolist() == [False, True]

    def test_row_names_without_a_header(self, write):
        data = read_data(write('"a","y"\n"1",5,6\n"2",7,8\n'), "y")
        assert data.X.to_dict("list") == {"Unnamed: 0": [1, 2], "a": [5, 7]}
        assert data.y.tolist() == [6, 8]

    def test_separator_at_the_end_of_rows(self, write):
        data = read_data(write("a,y\n5,6,\n7,8,\n"), "y")
        assert data.X["a"].tolist() == [5, 7]
        assert data.y.tolist() == [6, 8]

    def test_blanks_around_names_and_blank_lines(self, write):
        data = read_data(write("\n a , y\n1, 2\n\n3, 4\n"), "y")
        assert data.X["a"].tolist() == [1, 3]

    def test_line_ends_of_windows(self, write):
        assert read_data(write("a,y\r\n1,2\r\n3,4\r\n"), "y").y.tolist() == [2, 4]

    def test_very_long_text(self, write):
        data = read_data(write(f"a,y\n1,2\n{'x' * 200_000},4\n"), "y")
        assert data.X["a"].str.len().tolist() == [1, 200_000]

    @pytest.mark.parametrize(
        "titles",
        [
            "Sales of 2024\n",
            "Sales of 2024\n\nall places\n",
            "Sales of 2024,,,\n,,,\n",
            "# made by a program\n",
            "from,2024-01-01\nto,2024-12-31\n",
            '""\nSales\n',
        ],
    )
    def test_titles_above_the_header(self, write, titles):
        data = read_data(write(titles + "a,b,c,y\n1,2,3,u\n4,,6,v\n7,8,9,u\n"), "y")
        assert data.X["a"].tolist() == [1, 4, 7]
        assert data.y.tolist() == ["u", "v", "u"]
        assert "above the header ('" in data.steps[0]

    @pytest.mark.parametrize(
        "content", ["1,2\n1,2,3,4,5\n6,7,8,9,10\n", "a,b\n2019,2020,2021,y\n1,2,3,4\n5,6,7,8\n"]
    )
    def test_rows_of_numbers_are_no_header(self, write, content):
        assert "not a regular table" in refused("diagnose", write(content), "--target", "y")

    def test_lines_that_are_to_be_skipped(self, write):
        path = write("1;2;3\n\nx;z\na;b;y\n1;2;u\n3;4;v\n")
        data = read_data(path, "y", TableOptions(skip_rows=3))
        assert data.X.to_dict("list") == {"a": [1, 3], "b": [2, 4]}
        assert run("labels", path, "--target", "y", "--skip-rows", 3).exit_code == 0
        assert "has a header" in refused("labels", path, "--target", "y", "--skip-rows", 99)
        assert "--skip-rows must be" in refused("labels", path, "--target", "y", "--skip-rows", -1)

    def test_names_given_twice(self, write):
        data = read_data(write("a,b,a,,Unnamed: 3,y\n1,2,3,4,5,6\n7,8,9,1,2,3\n"), "y")
        assert [*data.X.columns] == ["a", "b", "a.1", "Unnamed: 3", "Unnamed: 3.1"]
        assert data.steps[1] == (
            "Renamed columns that had the name of another: a is now a.1, Unnamed: 3 is now "
            "Unnamed: 3.1."
        )

    @pytest.mark.parametrize(
        "content",
        ["a b y\n 1 2 u\n3 4 v\n", "a,b,y\n1,2,u\n3,4,v\n", "a\tb\ty\n1\t2\tu\n3\t4\tv\n"],
    )
    def test_dat(self, write, content):
        data = read_data(write(content, "data.dat"), "y")
        assert data.X.to_dict("list") == {"a": [1, 3], "b": [2, 4]}

    def test_truth_values_as_target(self, write):
        assert read_data(write("a,y\n1,True\n2,False\n"), "y").y.dtype == bool

    def test_rows_without_target_are_left_out_and_counted(self, write):
        data = read_data(write("a,y\n1,u\n2,\n3,v\n4,u\n"), "y")
        assert data.X["a"].tolist() == [1, 3, 4]
        assert data.y.tolist() == ["u", "v", "u"]
        assert data.steps[-1] == "Left out 1 of 4 rows, which has no target."

    def test_sequences(self, write):
        data = read_data(write("id,dna,y\n1,ACGTA,u\n2,CCGTA,v\n3,GGGTT,\n"), "y")
        assert data.kind == "sequences"
        assert data.X == ["ACGTA", "CCGTA"]
        assert data.steps[1] == "Took dna as sequences of 5 letters."

    def test_words_of_unequal_length_stay_a_table(self, write):
        assert read_data(write("word,y\nalpha,1\nbet,2\n"), "y").kind == "table"


def test_a_single_column_is_said_to_be_one(tmp_path):
    (tmp_path / "x.csv").write_text("x\n1\n2\n3\n", encoding="utf-8")
    (tmp_path / "y.csv").write_text("y\n1\n0\n1\n", encoding="utf-8")
    data = read_data(tmp_path / "x.csv", str(tmp_path / "y.csv"))
    assert data.steps[0] == "Read 3 rows and 1 column from x.csv."
