import Glibc

// A closed pipe must not end the program with a signal's status.
signal(SIGPIPE, SIG_IGN)
PluginPath.find()
exit(await Program.run(CommandLine.arguments))
