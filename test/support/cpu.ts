/** Milliseconds of the processor that this process has taken so far: others on the machine add nothing to them. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
