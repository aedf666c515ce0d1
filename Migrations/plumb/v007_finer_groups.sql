-- The rules of groups tell more apart (named exceptions, functions of C++ and Rust, binaries that are called like Apple's):
-- what was grouped before is worked out once more. Decisions go with the diagnostics.
UPDATE signature SET generation = -3;
