/** Those of the basic catalog. */
export const ICON_NAMES = [
  ...(['accountCircle', 'add', 'arrowBack', 'arrowForward', 'attachFile', 'calendarToday', 'call'] as const),
  ...(['camera', 'check', 'close', 'delete', 'download', 'edit', 'event', 'error', 'fastForward'] as const),
  ...(['favorite', 'favoriteOff', 'folder', 'help', 'home', 'info', 'locationOn', 'lock'] as const),
  ...(['lockOpen', 'mail', 'menu', 'moreVert', 'moreHoriz', 'notificationsOff', 'notifications'] as const),
  ...(['pause', 'payment', 'person', 'phone', 'photo', 'play', 'print', 'refresh', 'rewind'] as const),
  ...(['search', 'send', 'settings', 'share', 'shoppingCart', 'skipNext', 'skipPrevious'] as const),
  ...(['star', 'starHalf', 'starOff', 'stop', 'upload', 'visibility', 'visibilityOff'] as const),
  ...(['volumeDown', 'volumeMute', 'volumeOff', 'volumeUp', 'warning'] as const),
] as const
