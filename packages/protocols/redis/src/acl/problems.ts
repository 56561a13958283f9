/** What may be wrong with a rule, in the words of Redis. */
export const PROBLEMS = {
  unknown: 'Unknown command or category name in ACL',
  syntax: 'Syntax error',
  keysBehindAll:
    "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. Try 'resetkeys' to start with an empty list of patterns",
  channelsBehindAll:
    "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. Try 'resetchannels' to start with an empty list of channels",
  noSuchPassword: 'The password you are trying to remove from the user does not exist',
  badHash:
    'The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters',
  firstArgument: 'Allowing first-arg of a subcommand is not supported',
  tooMany: 'There are 256 patterns of keys, 256 of channels and 256 first arguments of a command at most',
  patternTooLong: 'A pattern has 1024 bytes at most',
} as const;

/** What is wrong with a rule. */
export type Problem = (typeof PROBLEMS)[keyof typeof PROBLEMS];
