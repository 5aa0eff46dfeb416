/** What the commands exit with; the README documents them. */
export const exitCodes = {
  /** Done; nothing wrong was found. */
  done: 0,
  /** Done, and something wrong was found in what was looked at. */
  faultsFound: 1,
  /** Not done: wrong use, input that cannot be read, a server that cannot be reached. */
  couldNotRun: 2,
} as const;
