import Glibc

// A closed pipe must not end the program with a signal's status.
signal(SIGPIPE, SIG_IGN)
exit(await Program.run(CommandLine.arguments))
