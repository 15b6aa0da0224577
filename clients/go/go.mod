module latchkey.internal/latchkey

go 1.19
