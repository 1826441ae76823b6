import Glibc

// A closed pipe must not end the program with a signal's status.
signal(SIGPIPE, SIG_IGN)
// A limit on the size of files is an error of the write, as a full disk is.
signal(SIGXFSZ, SIG_IGN)
Output.fillStreams()
PluginPath.find()
exit(await Program.run(CommandLine.arguments))
