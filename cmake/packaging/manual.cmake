# Run by `cmake --install`: writes the manual pages of the program PROGRAM, gzipped, into FOLDER.
execute_process(COMMAND ${PROGRAM} man --folder ${FOLDER} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB pages ${FOLDER}/*.1)
execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
