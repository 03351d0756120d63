import type { Metric } from './exposition.ts'

/** The metrics of the process, by the names that Prometheus has for those of any (`process_…`, `nodejs_…`). */
export function processMetrics(): Metric[] {
  const { user, system } = process.cpuUsage()
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  const seconds = (microseconds: number) => microseconds / 1e6
  return [
    single('process_cpu_user_seconds_total', 'counter', 'CPU time in user code.', seconds(user)),
    single('process_cpu_system_seconds_total', 'counter', 'CPU time in the system.', seconds(system)),
    single('process_cpu_seconds_total', 'counter', 'CPU time.', seconds(user + system)),
    single('process_start_time_seconds', 'gauge', 'Start of the process, in seconds since 1970.', performance.timeOrigin / 1000),
    single('process_resident_memory_bytes', 'gauge', 'Memory that the process has of the machine.', rss),
    single('nodejs_heap_size_total_bytes', 'gauge', 'Size of the heap.', heapTotal),
    single('nodejs_heap_size_used_bytes', 'gauge', 'Part of the heap that is used.', heapUsed),
    single('nodejs_external_memory_bytes', 'gauge', 'Memory outside of the heap that objects in it hold.', external),
  ]
}

/** Returns a metric of one sample; of none where the value is not known. */
export function single(name: string, type: 'counter' | 'gauge', help: string, value: number | undefined): Metric {
  return { name, type, help, samples: value === undefined ? [] : [{ value }] }
}
