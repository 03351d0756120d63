// Loaded into a server before it: says, when it is asked over the channel of its parent, how long its event loop was held since
// the last time, in milliseconds. On Linux that is the time its main thread had of a processor, so that other processes do not
// count; elsewhere the time that went by.
import { isMainThread } from 'node:worker_threads'
import { threadClock } from './thread-clock.js'

// A process that the server itself begins has the same arguments, and a channel of its own.
if (isMainThread && process.channel && process.env.TICKED_BY === String(process.ppid)) {
  const now = threadClock()
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
