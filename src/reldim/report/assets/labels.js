// The page of rows whose targets look wrong: a table, and no pictures.

startPage();
