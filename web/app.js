document.body.textContent = "Molejo";
