/** Runs the smoke on one runtime, and names the packages that passed. Throws for those that did not. */
export interface Host {
  readonly name: string;
  run(baseURL: string): Promise<readonly string[]>;
}
