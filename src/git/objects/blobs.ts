import { git } from '../process.ts'

const LINE_END = 10

/**
 * The bytes of many blobs, by their ids; those that git has not are absent. One process answers all at once, where `Objects` is asked and
 * answers one by one.
 */
export async function readBlobs(top: string, ids: readonly string[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  if (ids.length === 0) return found
  const output = await git(top, ['cat-file', '--batch', '--buffer'], { input: `${[...new Set(ids)].join('\n')}\n` })
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(LINE_END, at)
    const [id = '', type = '', length = ''] = output.toString('utf8', at, end).split(' ')
    const isThere = /^\d+$/.test(length)
    const size = isThere ? Number(length) : 0
    if (type === 'blob') found.set(id, output.subarray(end + 1, end + 1 + size))
    at = end + 1 + (isThere ? size + 1 : 0)
  }
  return found
}
