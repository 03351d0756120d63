// Loaded into a server before it: says, when it is asked over the channel of its parent, how long its event loop was held since
// the last time, in milliseconds. On Linux that is the time its main thread had of a processor, so that other processes do not
// count; elsewhere the time that went by.
import { openSync, readSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// A process that the server itself begins has the same arguments, and a channel of its own.
if (isMainThread && process.channel && process.env.TICKED_BY === String(process.ppid)) {
  const now = clock()
  let last = now()
  let longest = 0
  setInterval(() => {
    const time = now()
    longest = Math.max(longest, time - last)
    last = time
  }, 1).unref()
  process.on('message', () => {
    process.send(longest)
    longest = 0
    last = now()
  })
  process.channel.unref()
}

function clock() {
  try {
    const file = openSync('/proc/thread-self/schedstat', 'r')
    const bytes = Buffer.alloc(64)
    return () => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, 64, 0)).split(' ', 1)[0]) / 1e6
  } catch {
    return () => performance.now()
  }
}
