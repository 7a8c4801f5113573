/** As a person would say it: `3 h 12 m`, `12 m 5 s`, `5 s`. */
export function toDuration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`
  if (hours > 0) return `${hours} h ${minutes} m`
  return minutes > 0 ? `${minutes} m ${whole % 60} s` : `${whole} s`
}
