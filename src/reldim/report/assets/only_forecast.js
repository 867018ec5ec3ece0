// The page of a forecast.

const data = JSON.parse(document.getElementById("data").textContent);

new Picture("forecast-curve", forecast);
startPage();
