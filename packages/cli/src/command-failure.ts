/** A command that could not do what it was asked. Its text is for the person who asked. */
export class CommandFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CommandFailure'
  }
}
