# find_package(molejo) from another project: headers, library, program.
