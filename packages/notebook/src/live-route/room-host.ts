import type { WebSocket } from 'ws'

/** The files of a server, as a room reads and writes them. */
export interface RoomFiles {
  read(path: string): Promise<RoomFile & { readonly text: string }>
  write(path: string, text: string): Promise<RoomFile>
  /** Undefined where there is none. */
  stamp(path: string): Promise<string | undefined>
}

export interface RoomFile {
  readonly hash: string
  /** Differs whenever the file may have changed. */
  readonly stamp: string
}

/** Rooms of notebooks: each a shared document that follows its file, and the other way round. */
export interface HostedRooms {
  isOpen(path: string): boolean
  /** Opens the room if need be. It is closed when the last one has left, after a last save. */
  connect(path: string): Promise<WebSocket>
  /** Saves all of them. */
  close(): Promise<void>
}

/** Whoever can hold rooms over files that are somewhere else. */
export type RoomHost = (files: RoomFiles) => Promise<HostedRooms>
