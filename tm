Command exited with non-zero status 1
0.00
