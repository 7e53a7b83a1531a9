import Cabinet
