/** Tells every client, of either era, that has asked to be told. */
export interface ChangeNotifier {
  toolsChanged(): void
  promptsChanged(): void
  resourcesChanged(): void
  /** To those who subscribed; in a session that needs the server's own handler for `resources/subscribe`, whose answer is respected. */
  resourceUpdated(uri: string): void
  /** Whether anybody may be waiting for changes of resources, so that it is worth looking for them. */
  isWatched(): boolean
}
