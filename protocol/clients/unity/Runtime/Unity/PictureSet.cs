// The pictures of a receiver, which are drawn aside of what their blades sink into.
using System.Collections.Generic;
using UnityEngine;

namespace Clashd
{
    internal sealed class PictureSet
    {
        private readonly List<ClashdPicture> _all = new List<ClashdPicture>();

        internal void Add(ClashdPicture picture)
        {
            _all.Add(picture);
        }

        /// <summary>False where it was none of its own.</summary>
        internal bool Remove(ClashdPicture picture)
        {
            return _all.Remove(picture);
        }

        internal void Take(ClashdEvent poses)
        {
            foreach (ClashdPicture picture in _all)
                picture.Take(poses);
        }

        internal void TakeTracking(ClashdEvent tracking)
        {
            foreach (ClashdPicture picture in _all)
                picture.TakeTracking(tracking);
        }

        /// <summary>Nothing is known any more.</summary>
        internal void Release()
        {
            foreach (ClashdPicture picture in _all)
                picture.Release();
        }

        internal void Draw(Transform origin)
        {
            foreach (ClashdPicture picture in _all)
                picture.Draw(origin);
        }
    }
}
