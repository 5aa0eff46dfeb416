/** A request that is not answered; the message says what was expected. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
