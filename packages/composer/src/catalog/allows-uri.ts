import type { View } from './composed-catalog.ts'

/** A step upwards, however often it is encoded: `..` as a part of a path of its own. */
const CLIMBING =
  /(?:^|[/\\:=]|%(?:25)*(?:2f|5c|3a|3d))(?:\.|%(?:25)*2e){2}(?:$|[/\\?#&;]|%(?:25)*(?:2f|5c|3f|23|26|3b))/i
/** Readers of URIs leave these out, some at the ends and some everywhere. */
const UNSEEN = /[\p{Cc}\s]/gu

/**
 * A URI that climbs is another one to a server that resolves it, and would lead out of what a pattern like `files:file:///public/*` means:
 * it is for those alone to whom the whole server is open.
 */
export function allowsUri(view: View, server: string, uri: string): boolean {
  return view.allows(`${server}:${uri}`) && (!climbs(uri) || view.allows(`${server}:`))
}

function climbs(uri: string): boolean {
  return CLIMBING.test(uri.replace(UNSEEN, ''))
}
