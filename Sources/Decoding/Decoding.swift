// Decoding
