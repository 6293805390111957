// The editors look inside.
using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("Clashd.Editor")]
