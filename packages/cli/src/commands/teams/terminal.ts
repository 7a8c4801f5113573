/** What can be drawn on, where `isTTY`; else what is written to is kept as it is. */
export interface Screen extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  hasColors?(): boolean
}

/** Where a command is run: the streams of the process. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream
  readonly stdout: Screen
  readonly stderr: NodeJS.WritableStream
}
