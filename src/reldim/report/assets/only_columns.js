// The page of columns.

const data = JSON.parse(document.getElementById("data").textContent);

data.effects.forEach((one, i) => new Picture(`effect-${i}`, () => effect(one)));
startPage();
